package seat

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Port is where members listen unless something else is set.
const Port = "7412"

// errAddress says that no network was found.
var errAddress = errors.New("no address was found under which other machines could reach this one: connect it to a " +
	"network, or name an address or an interface: --listen en0:" + Port)

// interfaces are the networks of this machine; tests have their own.
type interfaces func() ([]network, error)

// network is an interface with one of its addresses.
type network struct {
	name string
	at   netip.Addr
}

func systemInterfaces() (list []network, err error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("seat: %w", err)
	}
	for _, i := range all {
		addrs, err := i.Addrs()
		if i.Flags&net.FlagUp == 0 || err != nil {
			continue
		}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				list = append(list, network{i.Name, p.Addr().Unmap()})
			}
		}
	}
	return list, nil
}

// listenAt chooses the address to listen at. Want is HOST:PORT, where HOST is an address,
// the name of an interface, or empty; last is where this machine listened before, "" if
// never.
func listenAt(want, last string, networks interfaces) (string, error) {
	list, err := networks()
	if err != nil {
		return "", err
	}
	host, port := "", Port
	lastHost, lastPort, err := net.SplitHostPort(last)
	if err == nil {
		port = lastPort
	}
	if want != "" {
		var wantPort string
		if host, wantPort, err = net.SplitHostPort(want); err != nil {
			return "", fmt.Errorf("seat: listen at %q: want HOST:PORT, as in en0:%s", want, Port)
		}
		if wantPort != "" {
			port = wantPort
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("seat: listen at %q: want a port from 1 to 65535", want)
	}
	if host != "" {
		if a, err := netip.ParseAddr(host); err == nil && !a.IsUnspecified() {
			return net.JoinHostPort(host, port), nil
		}
		if at, ok := best(list, func(n network) bool { return n.name == host }); ok {
			return net.JoinHostPort(at.String(), port), nil
		}
		return "", fmt.Errorf("seat: listen at %q: there is no interface %s with an address", want, host)
	}
	if at, ok := best(list, func(n network) bool { return n.at.String() == lastHost }); ok {
		return net.JoinHostPort(at.String(), port), nil
	}
	if at, ok := best(list, func(n network) bool { return !n.at.IsLoopback() }); ok {
		return net.JoinHostPort(at.String(), port), nil
	}
	return "", fmt.Errorf("seat: %w", errAddress)
}

// best is the address by which others most likely reach this machine: private ones of IPv4
// first; never one that is valid on its own link only.
func best(list []network, may func(network) bool) (found netip.Addr, ok bool) {
	rank := func(a netip.Addr) int {
		switch {
		case a.Is4() && a.IsPrivate():
			return 3
		case a.Is4():
			return 2
		}
		return 1
	}
	for _, n := range list {
		if !may(n) || n.at.IsLinkLocalUnicast() || n.at.IsMulticast() || n.at.IsUnspecified() {
			continue
		}
		if !ok || rank(n.at) > rank(found) {
			found, ok = n.at, true
		}
	}
	return found, ok
}
