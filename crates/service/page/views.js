// Views of the page: pictures of values and of bytes, lists, steps.

const element = (id) => document.getElementById(id);

/** Largest number of rows of a list of values. */
const MOST_ROWS = 1000;

/** Formats a number of bytes. */
export function bytes(count) {
  const units = ["bytes", "kB", "MB", "GB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(count, 1)) / 3));
  return `${unit === 0 ? count : (count / 1000 ** unit).toPrecision(3)} ${units[unit]}`;
}

/** One of the steps: a line with a bar and a text. */
export class Step {
  #line;
  #start = 0;

  constructor(name) {
    this.#line = element(`step-${name}`);
  }

  reset() {
    this.#line.className = "";
    this.text("");
    this.share(0);
  }

  begin(text = "") {
    this.#line.className = "active";
    this.#start = performance.now();
    this.text(text);
  }

  share(value) {
    const bar = this.#line.querySelector("progress");
    if (bar) {
      bar.value = value;
    }
  }

  text(text) {
    this.#line.querySelector("output").textContent = text;
  }

  end(text) {
    this.#line.className = "done";
    this.share(1);
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(2);
    this.text(`${text}, ${seconds} s`);
  }
}

function draw(id, width, height, grey) {
  const canvas = element(id);
  [canvas.width, canvas.height] = [width, height];
  const picture = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const level = grey(i);
    picture.data.set([level, level, level, 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
}

/** Draws values below a modulus as a picture of grey levels. */
export function drawValues(id, { width, height }, values, modulus) {
  draw(id, width, height, (i) => Math.round((values[i] * 255) / (modulus - 1)));
}

/** Draws the first bytes of a file as a square picture, which is all that anyone without the key can see. */
export function drawBytes(id, file) {
  const side = Math.min(256, Math.max(1, Math.floor(Math.sqrt(file.length))));
  draw(id, side, side, (i) => file[i]);
}

/** Lists values beside results. */
export function listValues(values, results) {
  const rows = Array.from(values.subarray(0, MOST_ROWS), (value, i) => {
    const row = document.createElement("tr");
    for (const cell of [value, results[i]]) {
      row.append(Object.assign(document.createElement("td"), { textContent: String(cell) }));
    }
    return row;
  });
  document.querySelector("#values tbody").replaceChildren(...rows);
}

/** Lists what the server saw. */
export function listSeen(seen) {
  const entries = seen.flatMap(([name, text]) => [
    Object.assign(document.createElement("dt"), { textContent: name }),
    Object.assign(document.createElement("dd"), { textContent: text }),
  ]);
  element("seen").replaceChildren(...entries);
}

/** Number of bytes of checksums and counts at the end of a file of ciphertexts. */
const TRAILER_BYTES = 88;

/** Returns the last bytes of the ciphertexts of a file, in hexadecimal digits. */
export function lastBytes(file) {
  const end = file.length - TRAILER_BYTES;
  const digits = Array.from(file.subarray(end - 32, end), (byte) => byte.toString(16).padStart(2, "0"));
  return `… ${digits.join(" ")}`;
}
