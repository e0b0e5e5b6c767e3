// Package hardwaretest holds one conformance suite for each interface of
// package hardware. A driver's tests hand a suite a fixture and the suite says
// what every driver must do: [Screen] for hardware.Screen, [CropRecognizer] for
// hardware.CropRecognizer.
package hardwaretest
