// What the board and the projector are made with; each loads it before its own script.
"use strict";

const at = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const count = (number, word, plural = `${word}s`) => `${number} ${number === 1 ? word : plural}`;
