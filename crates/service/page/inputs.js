// Files that the page accepts: pictures, as grey values, and columns of integers.

/** Largest number of pixels of a picture: the capacity of one packed ciphertext. Larger pictures are scaled down. */
const MOST_PIXELS = 65_536;

/** Reads a file; the values are below `modulus`. */
export async function readFile(file, modulus) {
  const isPicture = file.type.startsWith("image/");
  return isPicture ? readPicture(file, modulus) : readColumn(await file.text(), modulus);
}

async function readPicture(file, modulus) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (bitmap.width * bitmap.height)));
  const width = Math.max(1, Math.floor(bitmap.width * scale));
  const height = Math.max(1, Math.floor(bitmap.height * scale));
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  const values = new Uint32Array(width * height);
  for (let i = 0; i < values.length; i++) {
    const [red, green, blue] = data.subarray(4 * i, 4 * i + 3);
    const grey = Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
    values[i] = modulus < 256 ? Math.floor((grey * modulus) / 256) : grey;
  }
  return { values, width, height, text: `${width} × ${height} grey values` };
}

/** Returns the first column of a CSV file; a first line that is not an integer is a heading. */
function readColumn(text, modulus) {
  const lines = text.split(/\r?\n/).map((line) => line.split(/[,;\t]/)[0].trim());
  const fields = lines.filter((field) => field !== "");
  const isInteger = (field) => /^\d+$/.test(field);
  if (fields.length > 0 && !isInteger(fields[0])) {
    fields.shift();
  }
  const wrong = fields.find((field) => !isInteger(field) || Number(field) >= modulus);
  if (wrong !== undefined) {
    throw new Error(`${JSON.stringify(wrong.slice(0, 40))} is no integer from 0 to ${modulus - 1}`);
  }
  if (fields.length === 0) {
    throw new Error("the file has no values");
  }
  return { values: Uint32Array.from(fields, Number), text: `${fields.length} values` };
}
