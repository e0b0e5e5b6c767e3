package main

func Example() {
	main()
	// Output:
	// now focused, as the rule says with confidence 0.9
	// 0s: focused, was unknown
	// 1m10s: away, was focused
	// 2m10s: focused, was away
}
