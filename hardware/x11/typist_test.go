package x11

import (
	"errors"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

func TestATypistWithoutUsageKnowsNobody(t *testing.T) {
	if idle, err := NewTypist(nil, nil).Idle(t.Context()); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Idle = %v, %v; want ErrUnavailable: nothing tells whether somebody types", idle, err)
	}
}
