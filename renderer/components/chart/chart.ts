/** A row of values of a chart, one for each of its points. */
export type Series = {
  name: string
  /** A token of the design, such as `--success-fill`. */
  color: string
  /** Null where there is nothing to show. */
  values: readonly (number | null)[]
}

/** What a screen reader says and the table shows about one point. */
export const pointText = (
  point: string,
  series: readonly Series[],
  index: number,
  format: (value: number) => string,
): string =>
  `${point}: ${series
    .flatMap(({ name, values }) => {
      const value = values[index]
      return value == null ? [] : [`${name} ${format(value)}`]
    })
    .join(', ')}`

const STEPS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowRight: (index, last) => Math.min(index + 1, last),
  ArrowLeft: (index) => Math.max(index - 1, 0),
  PageDown: (index, last) => Math.min(index + 10, last),
  PageUp: (index) => Math.max(index - 10, 0),
  Home: () => 0,
  End: (_, last) => last,
}

/** The point that a key leads to; null for other keys. Without a point, the first key shows the newest one. */
export const pointAfter = (key: string, index: number | null, count: number): number | null => {
  const step = STEPS[key]
  if (!step || count === 0) return null
  if (index === null && key !== 'Home') return count - 1
  return step(Math.min(index ?? 0, count - 1), count - 1)
}

/** The shades of a token in the theme of now, as `rgb()`: the canvas knows no variables, and chart.js no `oklch()`. */
export const rgbOf = (element: HTMLElement, token: string): string => {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return color
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  const [red, green, blue, alpha = 255] = context.getImageData(0, 0, 1, 1).data
  return `rgb(${red} ${green} ${blue} / ${alpha / 255})`
}
