import type { Accent } from './bridge.ts'

const linearChannel = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

/** The OKLCH chroma from which the design tokens use their full saturation. */
const FULL_CHROMA = 0.14

/**
 * Returns the hue and chroma of a system color (`rrggbb` or `rrggbbaa`, with or without `#`), computed in OKLab; null
 * for other text. The matrices are from Björn Ottosson's definition of OKLab.
 */
export function accentOf(color: string): Accent | null {
  const hex = /^#?([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(color)?.[1]
  if (!hex) return null
  const [r, g, b] = [0, 2, 4].map((at) =>
    linearChannel(Number.parseInt(hex.slice(at, at + 2), 16) / 255),
  ) as [number, number, number]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const greenRed = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const blueYellow = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const chroma = Math.hypot(greenRed, blueYellow)
  const hue = (Math.atan2(blueYellow, greenRed) * 180) / Math.PI
  return {
    hue: Math.round((hue + 360) % 360),
    chroma: Math.round(Math.min(chroma / FULL_CHROMA, 1) * 100) / 100,
  }
}
