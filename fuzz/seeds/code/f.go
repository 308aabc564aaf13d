fP7
// Package a.
package a

import (
	"fmt"
	x "io"
)

type T struct { A int `json:"a"` }

func (t *T) M() error {
	fmt.Println(t)
	return nil
}
const (
	A = iota
	B
)
