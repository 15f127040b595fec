/** A color of a form: `#rgb` or `#rrggbb`. */
export const isColour = (text: string): boolean => /^#(?:[0-9a-f]{3}){1,2}$/i.test(text)

/** Converts `#rgb` to `#rrggbb` for a native color field; black for invalid values. */
export const longColour = (text: string): string => {
  if (!isColour(text)) return '#000000'
  return text.length === 7 ? text : `#${Array.from(text.slice(1), (one) => one + one).join('')}`
}

const linear = (part: number): number => {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** Relative luminance as WCAG defines it, 0 to 1. */
const luminance = (colour: string): number => {
  const long = longColour(colour)
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(long.slice(at, at + 2), 16)),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** How well one colour is read on the other: 1 to 21; text needs 4.5. */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Black or white, whichever is read better on a background; one of them always has 4.5. */
export const readableOn = (background: string): string =>
  contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000'
