package darwin

import (
	"fmt"
	"image"
	"unsafe"

	"github.com/kehai-run/kehai/hardware"
)

// pixels copies a CGImage in its own colour space.
func (a *api) pixels(picture obj) (*image.RGBA, error) {
	width, height := int(a.image.width(picture)), int(a.image.height(picture))
	if width <= 0 || height <= 0 || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("darwin: captured a picture of %d×%d pixels: %w", width, height, hardware.ErrEmptyFrame)
	}
	l, known := layoutOf(a.image.component(picture), a.image.pixel(picture), a.image.info(picture))
	if !known {
		return a.redrawn(picture, width, height)
	}
	data := a.image.data(a.image.provider(picture))
	if data == 0 {
		return a.redrawn(picture, width, height)
	}
	defer a.cf.release(data)
	img := l.convert(a.bytes(data), width, height, int(a.image.stride(picture)))
	if img == nil {
		return a.redrawn(picture, width, height)
	}
	return img, nil
}

// bytes is the memory of a CFData, valid until the CFData is released.
func (a *api) bytes(data obj) []byte {
	p, n := a.cf.bytes(data), a.cf.length(data)
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice(p, n)
}

// redrawn redraws a CGImage of unknown layout into a known one. It keeps the
// colour space, so that colours are not converted.
func (a *api) redrawn(picture obj, width, height int) (*image.RGBA, error) {
	const info = alphaPremultipliedFirst | order32Little
	context := a.bitmap.create(0, uint(width), uint(height), 8, uint(width)*4, a.image.space(picture), info)
	if context == 0 {
		return nil,
			fmt.Errorf("darwin: captured a picture of %d bits a pixel and bitmap info %#x, which cannot be read: %w",
				a.image.pixel(picture), a.image.info(picture), hardware.ErrEmptyFrame)
	}
	defer a.cf.release(context)
	a.bitmap.draw(context, rect{0, 0, float64(width), float64(height)}, picture)
	l, _ := layoutOf(8, 32, info)
	img := l.convert(a.memory(context, height), width, height, int(a.bitmap.stride(context)))
	if img == nil {
		return nil, fmt.Errorf("darwin: the system drew less than %d×%d pixels: %w", width, height,
			hardware.ErrEmptyFrame)
	}
	return img, nil
}

// memory is the memory of a bitmap context, valid until the context is released.
func (a *api) memory(context obj, height int) []byte {
	p := a.bitmap.bytes(context)
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, int(a.bitmap.stride(context))*height)
}

// picture makes a CGImage from pixels of 1 (gray) or 4 (RGBA) bytes. The caller
// releases it.
func (a *api) picture(pix []byte, width, height, stride, bytes int) (obj, error) {
	space, info := a.bitmap.rgb, uint32(alphaPremultipliedLast|order32Big)
	if bytes == 1 {
		space, info = a.bitmap.gray, alphaNone
	}
	colours := space()
	defer a.cf.release(colours)
	context := a.bitmap.create(0, uint(width), uint(height), 8, uint(width*bytes), colours, info)
	if context == 0 {
		return 0, fmt.Errorf("darwin: the system has no memory for %d×%d pixels", width, height)
	}
	defer a.cf.release(context)
	to, step := a.memory(context, height), int(a.bitmap.stride(context))
	if !fits(to, width, height, step, bytes) {
		return 0, fmt.Errorf("darwin: the system gave less memory than %d×%d pixels need", width, height)
	}
	for y := range height {
		copy(to[y*step:][:width*bytes], pix[y*stride:][:width*bytes])
	}
	picture := a.bitmap.image(context)
	if picture == 0 {
		return 0, fmt.Errorf("darwin: the system made no picture of %d×%d pixels", width, height)
	}
	return picture, nil
}
