package darwin

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"
)

func TestLayout(t *testing.T) {
	// One pixel: red 10, green 20, blue 30, alpha 128, in the byte order of each layout.
	for _, tt := range []struct {
		name             string
		component, pixel uint
		info             uint32
		data             []byte
		want             []byte // nil: not known
	}{
		{"capture", 8, 32, alphaPremultipliedFirst | order32Little, []byte{30, 20, 10, 128}, []byte{10, 20, 30, 128}},
		{"capture without alpha", 8, 32, alphaSkipFirst | order32Little, []byte{30, 20, 10, 0},
			[]byte{10, 20, 30, 255}},
		{"argb", 8, 32, alphaPremultipliedFirst, []byte{128, 10, 20, 30}, []byte{10, 20, 30, 128}},
		{"argb big", 8, 32, alphaPremultipliedFirst | order32Big, []byte{128, 10, 20, 30}, []byte{10, 20, 30, 128}},
		{"rgba", 8, 32, alphaPremultipliedLast, []byte{10, 20, 30, 128}, []byte{10, 20, 30, 128}},
		{"abgr", 8, 32, alphaPremultipliedLast | order32Little, []byte{128, 30, 20, 10}, []byte{10, 20, 30, 128}},
		{"rgbx", 8, 32, alphaSkipLast, []byte{10, 20, 30, 7}, []byte{10, 20, 30, 255}},
		{"straight rgba", 8, 32, alphaLast, []byte{10, 20, 30, 128}, []byte{5, 10, 15, 128}},
		{"straight bgra", 8, 32, alphaFirst | order32Little, []byte{30, 20, 10, 0}, []byte{0, 0, 0, 0}},
		{"rgb", 8, 24, alphaNone, []byte{10, 20, 30}, []byte{10, 20, 30, 255}},
		{"16 bits", 16, 64, alphaPremultipliedLast, nil, nil},
		{"float", 8, 32, alphaPremultipliedLast | 1<<8, nil, nil},
		{"10 bits", 8, 32, alphaSkipFirst | order32Little | 3<<16, nil, nil},
		{"order of 16", 8, 32, alphaPremultipliedFirst | 1<<12, nil, nil},
		{"gray", 8, 8, alphaNone, nil, nil},
		{"no alpha in 32", 8, 32, alphaNone, nil, nil},
		{"alpha only", 8, 32, 7, nil, nil},
	} {
		l, ok := layoutOf(tt.component, tt.pixel, tt.info)
		if ok != (tt.want != nil) {
			t.Errorf("%s: layoutOf(%d, %d, %#x) = %v, want %v", tt.name, tt.component, tt.pixel, tt.info, ok, !ok)
			continue
		}
		if !ok {
			continue
		}
		img := l.convert(tt.data, 1, 1, len(tt.data))
		if img == nil || !bytes.Equal(img.Pix, tt.want) {
			t.Errorf("%s: convert(%v) = %v, want %v", tt.name, tt.data, img, tt.want)
		}
	}
}

func TestConvertRows(t *testing.T) {
	l, _ := layoutOf(8, 32, alphaPremultipliedFirst|order32Little)
	data := []byte{
		3, 2, 1, 255, 6, 5, 4, 255, 99, 99,
		9, 8, 7, 255, 12, 11, 10, 255, // the last row has no padding
	}
	want := []byte{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255}
	if img := l.convert(data, 2, 2, 10); img == nil || !bytes.Equal(img.Pix, want) {
		t.Errorf("convert(two rows) = %v, want %v", img, want)
	}
	if img := l.convert(data[:len(data)-1], 2, 2, 10); img != nil {
		t.Errorf("convert(a byte too few) = %v, want nil", img)
	}
	if img := l.convert(data, 2, 2, 7); img != nil {
		t.Errorf("convert(a stride below the width) = %v, want nil", img)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(uint(8), uint(32), uint32(alphaPremultipliedFirst|order32Little), 2, 2, 10, []byte("0123456789012345678"))
	f.Add(uint(8), uint(24), uint32(0), 1, 3, 3, []byte("123456789"))
	f.Fuzz(func(t *testing.T, component, pixel uint, info uint32, width, height, stride int, data []byte) {
		l, ok := layoutOf(component, pixel, info)
		if !ok {
			return
		}
		img := l.convert(data, width, height, stride)
		if img == nil {
			return
		}
		if img.Rect != image.Rect(0, 0, width, height) {
			t.Fatalf("convert(%d×%d) = %v", width, height, img.Rect)
		}
		at := (height-1)*stride + (width-1)*l.width
		if got := img.RGBAAt(width-1, height-1); !l.straight &&
			(got.R != data[at+l.r] || got.G != data[at+l.g] || got.B != data[at+l.b]) {
			t.Fatalf("convert: last pixel = %v, want red %d, green %d, blue %d", got, data[at+l.r], data[at+l.g],
				data[at+l.b])
		}
	})
}

func TestBlank(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    color.RGBA
		want bool
	}{
		{"transparent", color.RGBA{}, true},
		{"black", color.RGBA{A: 255}, true},
		{"nearly black", color.RGBA{B: 1, A: 255}, false},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 3, 2))
		img.SetRGBA(2, 1, tt.c)
		if got := blank(img); got != tt.want {
			t.Errorf("blank(%s) = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestScaleOf(t *testing.T) {
	for _, tt := range []struct {
		pixels image.Point
		w, h   float64
		want   float64
	}{
		{image.Pt(800, 600), 800, 600, 1},
		{image.Pt(1600, 1200), 800, 600, 2},
		{image.Pt(1600, 1201), 800.4, 600.3, 2},
		{image.Pt(101, 2000), 50, 1000, 2}, // by the longer side
		{image.Pt(1200, 900), 800, 600, 1.5},
		{image.Pt(400, 300), 800, 600, 0.5},
		{image.Pt(100, 100), 0, 0, 1},
		{image.Pt(100, 100), math.NaN(), 5, 1},
	} {
		if got := scaleOf(tt.pixels, tt.w, tt.h); got != tt.want {
			t.Errorf("scaleOf(%v, %v, %v) = %v, want %v", tt.pixels, tt.w, tt.h, got, tt.want)
		}
	}
}

func TestPadded(t *testing.T) {
	frame := image.NewRGBA(image.Rect(5, 5, 15, 15))
	white, green, ink := color.RGBA{255, 255, 255, 255}, color.RGBA{195, 246, 157, 255}, color.RGBA{1, 2, 3, 255}
	for y := 5; y < 15; y++ {
		for x := 5; x < 15; x++ {
			frame.SetRGBA(x, y, green)
		}
	}
	frame.SetRGBA(6, 6, white) // a corner of the box
	frame.SetRGBA(8, 8, ink)
	box := image.Rect(6, 6, 12, 11)
	img := padded(frame, box, 3)
	if got, want := img.Rect, image.Rect(0, 0, 12, 11); got != want {
		t.Fatalf("padded: %v, want %v", got, want)
	}
	for _, tt := range []struct {
		x, y int
		want color.RGBA
	}{{0, 0, green}, {11, 10, green}, {2, 5, green}, {3, 3, white}, {5, 5, ink}, {8, 7, green}} {
		if got := img.RGBAAt(tt.x, tt.y); got != tt.want {
			t.Errorf("padded at %d,%d = %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	const width, height = 2000, 1600
	l, _ := layoutOf(8, 32, alphaPremultipliedFirst|order32Little)
	data := make([]byte, width*height*4)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		l.convert(data, width, height, width*4)
	}
}
