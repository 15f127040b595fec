import { describe, expect, it } from 'vitest'

import { pointAfter, pointText } from '../../renderer/components/chart/chart.ts'
import { dayLabel, daysOf, weeksOrMonths } from '../../renderer/components/chart/periods.ts'
import { pipelineCharts } from '../../renderer/views/pipelines/pipeline-charts.ts'

describe('a chart', () => {
  it('describes a point with its values, without missing ones', () => {
    const series = [
      { name: 'Passed', color: '--a', values: [1, 2] },
      { name: 'Failed', color: '--b', values: [null, 3] },
    ]
    expect(pointText('12 Nov', series, 0, String)).toBe('12 Nov: Passed 1')
    expect(pointText('13 Nov', series, 1, String)).toBe('13 Nov: Passed 2, Failed 3')
  })

  it('starts at its newest point, and moves by keys within its ends', () => {
    expect(pointAfter('ArrowLeft', null, 5)).toBe(4)
    expect(pointAfter('Home', null, 5)).toBe(0)
    expect(pointAfter('ArrowLeft', 0, 5)).toBe(0)
    expect(pointAfter('ArrowRight', 4, 5)).toBe(4)
    expect(pointAfter('PageUp', 4, 5)).toBe(0)
    expect(pointAfter('x', 1, 5)).toBeNull()
    expect(pointAfter('ArrowLeft', 1, 0)).toBeNull()
  })
})

describe('the points of a period', () => {
  const thursday = Date.UTC(2026, 4, 14, 12)

  it('are its days, or the Mondays of its weeks', () => {
    expect(daysOf({ days: 3, by: 'day' }, thursday)).toEqual(['2026-05-12', '2026-05-13', '2026-05-14'])
    expect(daysOf({ days: 10, by: 'week' }, thursday)).toEqual(['2026-05-04', '2026-05-11'])
    expect(dayLabel('2026-05-04')).toBe('4 May')
  })

  it('are months if there are many weeks', () => {
    const few = weeksOrMonths([
      { week: '2026-05-04', commits: 2 },
      { week: '2026-05-18', commits: 1 },
    ])
    expect(few.starts).toEqual(['2026-05-04', '2026-05-11', '2026-05-18'])
    expect(few.sums([{ week: '2026-05-18', commits: 7 }])).toEqual([0, 0, 7])
    const weeks = [
      { week: '2020-01-06', commits: 1 },
      { week: '2020-01-13', commits: 2 },
      { week: '2026-05-04', commits: 4 },
    ]
    const many = weeksOrMonths(weeks)
    expect(many.by).toBe('month')
    expect(many.starts[0]).toBe('2020-01-01')
    expect(many.sums(weeks)[0]).toBe(3)
    expect(many.sums(weeks).at(-1)).toBe(4)
    expect(weeksOrMonths([]).starts).toEqual([])
  })
})

describe('the charts of pipelines', () => {
  it('have a value for each day, and no rate without finished pipelines', () => {
    const row = {
      day: '2026-05-12',
      total: 5,
      success: 3,
      failed: 1,
      canceled: 0,
      median_duration: 60,
      longest_duration: 90,
    }
    const charts = pipelineCharts([row], ['2026-05-11', '2026-05-12'])
    expect(charts.byStatus.map((chart) => chart.values)).toEqual([
      [0, 3],
      [0, 1],
      [0, 0],
      [0, 1],
    ])
    expect(charts.rates[0]?.values).toEqual([null, 75])
    expect(charts.durations.map((duration) => duration.values)).toEqual([
      [null, 60],
      [null, 90],
    ])
    expect(charts).toMatchObject({ total: 5, failed: 1, rate: 75, longest: 90 })
    expect(pipelineCharts([], ['2026-05-11'])).toMatchObject({ total: 0, rate: null, longest: null })
  })
})
