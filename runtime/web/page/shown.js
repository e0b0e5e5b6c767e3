// How text becomes a part of the page. No other file puts text there, so that nothing that others
// wrote steers what stands around it or hides in it. What the page knows and sends stays as it was.
"use strict";

// What is not to be shown: controls of both sets, format and direction marks, separators of lines, and
// letters that are drawn as nothing. Variation selectors, tabs and line breaks are not among it. A
// joiner stays where it makes one picture of two emoji. The rule is that of a terminal, describe.Steers.
const steering = new RegExp(
  String.raw`(\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*\u200d(?=\p{Extended_Pictographic}))` +
  String.raw`|(?![\t\n\p{Variation_Selector}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, "gu");

// plain is the form of a text that can be shown: a sign stands where something would have steered.
const plain = (text) => String(text).replaceAll("\r\n", "\n").replace(steering, (_, joined) => joined || "\ufffd");

// put changes the text of an element only if it is another one.
function put(e, text) {
  text = plain(text);
  if (e.textContent !== text) e.textContent = text;
}

const nodes = (children) => children.map((c) => (c instanceof Node ? c : plain(c)));

// add appends elements and texts, and fill puts them in place of all that was there.
const add = (e, ...children) => e.append(...nodes(children));
const fill = (e, ...children) => e.replaceChildren(...nodes(children));

// set changes an attribute only if it is another one.
function set(e, name, value) {
  value = plain(value);
  if (e.getAttribute(name) !== value) e.setAttribute(name, value);
}
