package pelican

// Node is one interned expression node. Construct nodes only through the package's functions.
type Node struct {
	kind Kind
}

// Kind tells what a Node is.
type Kind uint8
