import type { Item } from '../../api/client.ts'
import type { Series } from '../../components/chart/chart.ts'
import { t } from '../../locales/t.ts'

export type PipelinesOfDay = Item<'GET /-/projects/:id/pipelines/charts'>

/** The series of the charts of pipelines, with a value for each day or week of the period. */
export const pipelineCharts = (rows: readonly PipelinesOfDay[], days: readonly string[]) => {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const found = days.map((day) => byDay.get(day))
  const values = (of: (row: PipelinesOfDay) => number | null, none: number | null) =>
    found.map((row) => (row ? of(row) : none))
  const sum = (of: (row: PipelinesOfDay) => number) => rows.reduce((total, row) => total + of(row), 0)
  const rateOf = (success: number, failed: number) =>
    success + failed === 0 ? null : (success / (success + failed)) * 100
  const byStatus: Series[] = [
    { name: t('pipelines.passed'), color: '--success-fill', values: values((row) => row.success, 0) },
    { name: t('common.failed'), color: '--danger-fill', values: values((row) => row.failed, 0) },
    { name: t('pipelines.canceled'), color: '--text-off', values: values((row) => row.canceled, 0) },
    {
      name: t('common.other'),
      color: '--info-fill',
      values: values((row) => row.total - row.success - row.failed - row.canceled, 0),
    },
  ]
  const durations: Series[] = [
    { name: t('pipelines.median'), color: '--accent', values: values((row) => row.median_duration, null) },
    {
      name: t('pipelines.longest'),
      color: '--text-off',
      values: values((row) => row.longest_duration, null),
    },
  ]
  const longest = Math.max(-1, ...rows.map((row) => row.longest_duration ?? -1))
  return {
    days,
    byStatus,
    rates: [
      {
        name: t('pipelines.success_rate'),
        color: '--success-fill',
        values: values((row) => rateOf(row.success, row.failed), null),
      },
    ] satisfies Series[],
    durations,
    total: sum((row) => row.total),
    failed: sum((row) => row.failed),
    rate: rateOf(
      sum((row) => row.success),
      sum((row) => row.failed),
    ),
    longest: longest < 0 ? null : longest,
  }
}
