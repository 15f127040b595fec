import type { Item } from '../../api/client.ts'
import { dayText } from '../../composables/time.ts'
import { t } from '../../locales/t.ts'

/** A milestone in the list of a project or group, with its owner. */
export type Milestone = Item<'GET /projects/:id/milestones'>

/** When it is: `due 27 November 2026`, `from 1 to 27 November`, in words. */
export const daysOf = ({ start_date, due_date }: Pick<Milestone, 'start_date' | 'due_date'>): string => {
  if (start_date && due_date)
    return t('planning.start_date_to_due_date', {
      start_date: dayText(start_date),
      due_date: dayText(due_date),
    })
  if (due_date) return t('common.due_due_date', { due_date: dayText(due_date) })
  return start_date
    ? t('planning.starts_start_date', { start_date: dayText(start_date) })
    : t('planning.no_dates')
}
