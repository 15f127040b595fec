import { computed, ref } from 'vue'
import { apiPage, type Item } from '../../api/client.ts'
import { usePage } from '../../api/usePage.ts'
import { download } from '../../composables/window/download.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { useToasts } from '../../stores/toasts.ts'
import { toCsv } from './csv.ts'
import { t } from '../../locales/t.ts'

/** Whose log it is. */
export type AuditOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }
export type AuditLine = Item<'GET /audit_events'>

export const PER_PAGE = 50
/** The maximum number of lines of a file; more require narrower filters. */
const MOST_PAGES = 100
const DAY_MS = 86_400_000

const AT = {
  project: 'GET /projects/:id/audit_events',
  group: 'GET /groups/:id/audit_events',
  instance: 'GET /audit_events',
} as const

/** An audit log with its filters in the URL, and a file of all matching events. */
export const useAuditLog = (owner: AuditOwner) => {
  // All three take the same filters; the instance alone knows what a line is about.
  const at = AT[owner.kind] as 'GET /projects/:id/audit_events'
  const id = (owner.kind === 'instance' ? {} : { id: owner.id }) as { id: number }
  const defaults = { author_username: '', event_name: '', days: '', entity_type: '', page: 1 }
  const { state, set } = useUrlState(defaults)
  // The time stays the same while the page is open, so that the answer can be cached.
  const opened = Date.now()
  const toasts = useToasts()

  const filter = computed(() => {
    const { author_username, event_name, days, entity_type } = state.value
    const since = Number(days) > 0 ? new Date(opened - Number(days) * DAY_MS).toISOString() : undefined
    return {
      ...id,
      ...(author_username ? { author_username } : {}),
      ...(event_name ? { event_name } : {}),
      ...(entity_type ? { entity_type } : {}),
      ...(since ? { created_after: since } : {}),
    }
  })
  const list = usePage(at, () => ({ ...filter.value, page: state.value.page, per_page: PER_PAGE }))

  const busy = ref(false)
  const save = async () => {
    busy.value = true
    try {
      const lines: AuditLine[] = []
      let page: number | null = 1
      for (let count = 0; page !== null && count < MOST_PAGES; count++) {
        const found: Awaited<ReturnType<typeof apiPage<typeof at>>> = await apiPage(at, {
          ...filter.value,
          page,
          per_page: 100,
        })
        lines.push(...found.items)
        page = found.nextPage
      }
      download(toCsv(lines), {
        name: `audit-events-${new Date().toISOString().slice(0, 10)}.csv`,
        type: 'text/csv',
      })
      if (page !== null)
        toasts.show({ text: t('audit.the_file_contains_only_the_newest', { count: lines.length }) })
    } catch {
      toasts.show({ text: t('audit.the_log_could_not_be_read'), kind: 'bad' })
    } finally {
      busy.value = false
    }
  }
  const isFiltered = computed(() => Object.keys(filter.value).length > Object.keys(id).length)
  return { state, set, list, save, busy, isFiltered }
}
