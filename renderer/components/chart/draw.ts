import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
} from 'chart.js'
import { rgbOf, type Series } from './chart.ts'

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
)

/** What a canvas shows. */
export type Drawing = {
  kind: 'bar' | 'line'
  points: readonly string[]
  series: readonly Series[]
  /** The highest value of the axis, where it is known, such as 100 %. */
  max: number | undefined
  format: (value: number) => string
}
export type Drawn = Chart<'bar' | 'line', (number | null)[], string>

const configOf = (canvas: HTMLCanvasElement, drawing: Drawing): ChartConfiguration<'bar' | 'line'> => {
  const { kind, points, series, max, format } = drawing
  const color = (token: string) => rgbOf(canvas.parentElement ?? document.body, token)
  const style = getComputedStyle(canvas)
  const font = { family: style.fontFamily, size: 11 }
  const line = color('--line')
  const text = color('--text-3')
  return {
    type: kind,
    data: {
      labels: [...points],
      datasets: series.map(({ name, color: token, values }) => {
        const shade = color(token)
        return {
          label: name,
          data: [...values],
          backgroundColor: shade,
          borderColor: shade,
          hoverBackgroundColor: shade,
          hoverBorderColor: shade,
          ...(kind === 'bar'
            ? { maxBarThickness: 28, categoryPercentage: 0.9, barPercentage: 0.9 }
            : {
                borderWidth: 1.5,
                pointRadius: points.length > 40 ? 0 : 2,
                pointHoverRadius: 4,
                spanGaps: true,
                cubicInterpolationMode: 'monotone' as const,
              }),
        }
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      layout: { padding: { top: 8 } },
      scales: {
        x: {
          stacked: kind === 'bar',
          grid: { display: false },
          border: { color: line },
          ticks: { color: text, font, maxRotation: 0, autoSkipPadding: 16 },
        },
        y: {
          stacked: kind === 'bar',
          beginAtZero: true,
          ...(max === undefined ? {} : { max }),
          grid: { color: line },
          border: { display: false },
          ticks: {
            color: text,
            font,
            precision: 0,
            maxTicksLimit: 6,
            callback: (value) => format(Number(value)),
          },
        },
      },
      plugins: {
        tooltip: {
          backgroundColor: color('--surface-3'),
          borderColor: color('--line-strong'),
          borderWidth: 1,
          titleColor: color('--text-1'),
          bodyColor: color('--text-2'),
          titleFont: { family: font.family, size: 12, weight: 500 },
          bodyFont: { family: font.family, size: 12 },
          padding: 8,
          cornerRadius: 6,
          boxWidth: 8,
          boxHeight: 8,
          boxPadding: 4,
          filter: ({ parsed }) => parsed.y !== null,
          callbacks: { label: ({ dataset, parsed }) => `${dataset.label}: ${format(parsed.y ?? 0)}` },
        },
      },
    },
  }
}

/** Draws a chart, in the colors of the theme of now. */
export const draw = (canvas: HTMLCanvasElement, drawing: Drawing): Drawn =>
  new Chart(canvas, configOf(canvas, drawing)) as Drawn

/** Shows one point as if the pointer were over it; null shows none. */
export const showPoint = (chart: Drawn, index: number | null): void => {
  const elements =
    index === null ? [] : chart.data.datasets.map((_, datasetIndex) => ({ datasetIndex, index }))
  chart.setActiveElements(elements)
  chart.tooltip?.setActiveElements(elements, { x: 0, y: 0 })
  chart.update()
}
