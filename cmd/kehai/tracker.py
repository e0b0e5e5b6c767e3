"""Follows a face with MediaPipe and prints a line for each picture.

    pip install mediapipe opencv-python
    python3 tracker.py face_landmarker.task | kehai focus feed -

face_landmarker.task is the model of MediaPipe's Face Landmarker.
"""

import json
import sys
import time

import cv2
import mediapipe as mp

vision = mp.tasks.vision
options = vision.FaceLandmarkerOptions(
    base_options=mp.tasks.BaseOptions(model_asset_path=sys.argv[1]),
    running_mode=vision.RunningMode.VIDEO,
    num_faces=1,
)
camera = cv2.VideoCapture(0)
with vision.FaceLandmarker.create_from_options(options) as landmarker:
    while True:
        there, picture = camera.read()
        if not there:
            sys.exit("the camera gives no picture")
        at_ms = int(time.monotonic() * 1000)
        rgb = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        image = mp.Image(image_format=mp.ImageFormat.SRGB, data=rgb)
        faces = landmarker.detect_for_video(image, at_ms).face_landmarks
        height, width = picture.shape[:2]
        line = {
            "at_ms": at_ms,
            "width": width,
            "height": height,
            "points": [[p.x, p.y] for p in faces[0]] if faces else None,
        }
        print(json.dumps(line), flush=True)
