package config

import (
	_ "embed"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:generate go test -run TestReferenceGolden . -update

// reference is the commented configuration in which nothing is set, with an entry in each
// list. It is generated from the structs.
//
//go:embed reference.yaml
var reference []byte

// comments holds the comment above each key of the reference.
var comments = sync.OnceValue(func() yaml.CommentMap {
	var values any
	found := yaml.CommentMap{}
	if err := yaml.UnmarshalWithOptions(reference, &values, yaml.CommentToMap(found)); err != nil {
		panic(err) // embedded and tested, so a bug
	}
	return found
})
