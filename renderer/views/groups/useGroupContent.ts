import { computed, type Ref } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { GroupWithAccess } from '../../composables/useGroup.ts'

/** What of a group is shown: what is in it, what is shared with it, what is archived in it. */
export type GroupTab = 'tree' | 'shared' | 'archived'

const PER_PAGE = 100

/** The subgroups and projects of a group as its page shows them. With a search the whole tree is looked through. */
export const useGroupContent = (
  group: Readonly<Ref<GroupWithAccess>>,
  tab: Readonly<Ref<GroupTab>>,
  search: Readonly<Ref<string | undefined>>,
  state: Readonly<Ref<{ order: string; page: number }>>,
) => {
  const order = computed(() =>
    state.value.order === 'name'
      ? ({ order_by: 'name', sort: 'asc' } as const)
      : ({ order_by: 'last_activity_at', sort: 'desc' } as const),
  )

  const projects = usePage('GET /groups/:id/projects', () =>
    tab.value === 'shared'
      ? null
      : {
          id: group.value.id,
          archived: tab.value === 'archived',
          include_subgroups: tab.value === 'archived' || search.value !== undefined,
          with_shared: false,
          search: search.value,
          ...order.value,
          page: state.value.page,
          per_page: PER_PAGE,
        },
  )
  const shared = usePage('GET /groups/:id/projects/shared', () =>
    tab.value === 'shared'
      ? {
          id: group.value.id,
          search: search.value,
          ...order.value,
          page: state.value.page,
          per_page: PER_PAGE,
        }
      : null,
  )
  /** Below a search the whole tree is looked through, else only the first level is read. */
  const children = usePage('GET /groups/:id/subgroups', () =>
    tab.value === 'tree' && !search.value
      ? { id: group.value.id, all_available: true, per_page: PER_PAGE }
      : null,
  )
  const descendants = usePage('GET /groups/:id/descendant_groups', () =>
    tab.value === 'tree' && search.value
      ? { id: group.value.id, all_available: true, search: search.value, per_page: PER_PAGE }
      : null,
  )
  const groups = computed(() => {
    if (tab.value !== 'tree' || state.value.page > 1) return []
    return search.value ? descendants.items.value : children.items.value
  })
  const list = computed(() => (tab.value === 'shared' ? shared : projects))
  const isPending = computed(
    () =>
      list.value.isPending.value ||
      (tab.value === 'tree' && (search.value ? descendants : children).isPending.value),
  )
  return { groups, list, order, isPending, PER_PAGE }
}
