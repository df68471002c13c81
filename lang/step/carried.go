package step

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

// A program as bytes, for another process of the same build: everything that is exported, in the order of the fields,
// every object once. What is not exported is found again when it is asked for, and functions are left out.

// Carry is a program as bytes. Only Uncarry of the same build understands them.
func Carry(p *Program) []byte {
	c := &carrier{numbers: map[any]uint64{}}
	for i, t := range commonTypes {
		c.numbers[t] = uint64(i) + 1
	}
	c.value(reflect.ValueOf(p))
	sum := sha256.Sum256(c.bytes)
	return append(sum[:], c.bytes...)
}

// Uncarry is the program that Carry has written, without Text. It fails when the bytes are not what Carry has written.
func Uncarry(text []byte) (p *Program, err error) {
	if len(text) < sha256.Size || sha256.Sum256(text[sha256.Size:]) != [sha256.Size]byte(text) {
		return nil, errNotCarried
	}
	c := &uncarrier{bytes: text[sha256.Size:]}
	for _, t := range commonTypes {
		c.objects = append(c.objects, reflect.ValueOf(t))
	}
	if err := c.value(reflect.ValueOf(&p).Elem()); err != nil {
		return nil, err
	}
	if len(c.bytes) > 0 || p == nil {
		return nil, errNotCarried
	}
	return p, p.Validate()
}

var errNotCarried = errors.New("this is no program that was carried")

// commonTypes are the objects that all programs share.
var commonTypes = []*Type{IntType, BoolType, MutexType}

// A carrier writes.
type carrier struct {
	bytes   []byte
	numbers map[any]uint64 // of the objects so far, by pointer, from 1
}

func (c *carrier) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		c.bytes = binary.AppendUvarint(c.bytes, n)
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		c.bytes = binary.AppendVarint(c.bytes, v.Int())
	case reflect.Uint8, reflect.Uint64:
		c.bytes = binary.AppendUvarint(c.bytes, v.Uint())
	case reflect.String:
		c.bytes = binary.AppendUvarint(c.bytes, uint64(v.Len()))
		c.bytes = append(c.bytes, v.String()...)
	case reflect.Slice:
		n := uint64(0) // nil and empty may differ
		if !v.IsNil() {
			n = uint64(v.Len()) + 1
		}
		c.bytes = binary.AppendUvarint(c.bytes, n)
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if carried(v.Type().Field(i)) {
				c.value(v.Field(i))
			}
		}
	case reflect.Pointer:
		c.object(v)
	default:
		panic(fmt.Sprintf("a %s is not carried", v.Type()))
	}
}

func (c *carrier) object(v reflect.Value) {
	if v.IsNil() {
		c.bytes = binary.AppendUvarint(c.bytes, 0)
		return
	}
	number, known := c.numbers[v.Interface()]
	if !known {
		number = uint64(len(c.numbers)) + 1
		c.numbers[v.Interface()] = number
	}
	c.bytes = binary.AppendUvarint(c.bytes, number)
	if !known {
		c.value(v.Elem())
	}
}

// carried reports whether a field is written.
func carried(f reflect.StructField) bool { return f.IsExported() && f.Type.Kind() != reflect.Func }

// An uncarrier reads.
type uncarrier struct {
	bytes   []byte
	objects []reflect.Value
}

func (c *uncarrier) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		n, err := c.number()
		v.SetBool(n == 1)
		return err
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(c.bytes)
		if size <= 0 || v.OverflowInt(n) {
			return errNotCarried
		}
		c.bytes = c.bytes[size:]
		v.SetInt(n)
	case reflect.Uint8, reflect.Uint64:
		n, err := c.number()
		if err != nil || v.OverflowUint(n) {
			return errNotCarried
		}
		v.SetUint(n)
	case reflect.String:
		n, err := c.number()
		if err != nil || n > uint64(len(c.bytes)) {
			return errNotCarried
		}
		v.SetString(string(c.bytes[:n]))
		c.bytes = c.bytes[n:]
	case reflect.Slice:
		return c.slice(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if !carried(v.Type().Field(i)) {
				continue
			}
			if err := c.value(v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		return c.object(v)
	}
	return nil
}

func (c *uncarrier) slice(v reflect.Value) error {
	n, err := c.number()
	if err != nil || n == 0 {
		return err
	}
	if n--; n > uint64(len(c.bytes)) { // an element takes a byte at least
		return errNotCarried
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	for i := range int(n) {
		if err := c.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *uncarrier) object(v reflect.Value) error {
	n, err := c.number()
	switch {
	case err != nil || n == 0:
		return err
	case n > uint64(len(c.objects))+1:
		return errNotCarried
	case n <= uint64(len(c.objects)):
		known := c.objects[n-1]
		if known.Type() != v.Type() {
			return errNotCarried
		}
		v.Set(known)
		return nil
	}
	made := reflect.New(v.Type().Elem())
	c.objects = append(c.objects, made)
	v.Set(made)
	return c.value(made.Elem())
}

func (c *uncarrier) number() (uint64, error) {
	n, size := binary.Uvarint(c.bytes)
	if size <= 0 {
		return 0, errNotCarried
	}
	c.bytes = c.bytes[size:]
	return n, nil
}
