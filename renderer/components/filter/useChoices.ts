import { refDebounced } from '@vueuse/core'
import { computed, ref } from 'vue'
import { useApi } from '../../api/useApi.ts'
import type { PickItem } from '../pick/pick.ts'
import { wordLabel, type Filter, type FilterOwner } from './filters.ts'
import { t } from '../../locales/t.ts'

type Person = { name: string; username: string; avatar_url: string | null }

const ofPerson = (one: Person): PickItem => ({
  value: one.username,
  label: one.name,
  note: `@${one.username}`,
  person: true,
  picture: one.avatar_url,
})
const ofLabel = (one: { name: string; color: string }): PickItem => ({
  value: one.name,
  label: one.name,
  colour: one.color,
})
const ofMilestone = (one: { title: string }): PickItem => ({ value: one.title, label: one.title })
const ofBranch = (one: { name: string }): PickItem => ({ value: one.name, label: one.name })

/** The options of a filter that match the typed text; loaded when the menu opens. */
export const useChoices = (filter: () => Filter, owner: () => FilterOwner) => {
  const isOpen = ref(false)
  const text = ref('')
  const asked = refDebounced(text, 120)
  const search = computed(() => asked.value.trim().replace(/^[@~%]/, '') || undefined)

  /** The query parameters of the option list, by kind of filter and owner. */
  const at = (kind: Filter['kind'], where: 'project' | 'group') => {
    const here = owner()
    if (!isOpen.value || filter().kind !== kind || here?.kind !== where) return null
    return { id: here.id, per_page: 30 }
  }
  const narrowed = <T extends object>(base: T | null) => (base ? { ...base, search: search.value } : null)
  const keep = { keepPrevious: true }
  const members = useApi('GET /projects/:id/users', () => narrowed(at('people', 'project')), keep)
  const groupMembers = useApi(
    'GET /groups/:id/members/all',
    () => {
      const base = at('people', 'group')
      return base ? { ...base, query: search.value } : null
    },
    keep,
  )
  const users = useApi(
    'GET /users',
    () =>
      isOpen.value && filter().kind === 'people' && owner() === null
        ? { search: search.value, per_page: 30 }
        : null,
    keep,
  )
  const labels = useApi('GET /projects/:id/labels', () => narrowed(at('labels', 'project')), keep)
  const groupLabels = useApi('GET /groups/:id/labels', () => narrowed(at('labels', 'group')), keep)
  const withParents = <T extends object>(base: T | null) =>
    base ? { ...base, include_parent_milestones: true } : null
  const milestones = useApi(
    'GET /projects/:id/milestones',
    () => withParents(narrowed(at('milestone', 'project'))),
    keep,
  )
  const groupMilestones = useApi(
    'GET /groups/:id/milestones',
    () => withParents(narrowed(at('milestone', 'group'))),
    keep,
  )
  const branches = useApi(
    'GET /projects/:id/repository/branches',
    () => narrowed(at('branch', 'project')),
    keep,
  )

  const found = computed<PickItem[]>(() => {
    const list = <T>(...sources: { data: { value: readonly T[] | undefined } }[]) =>
      sources.flatMap((one) => one.data.value ?? [])
    switch (filter().kind) {
      case 'people':
        return list<Person>(members, groupMembers, users).map(ofPerson)
      case 'labels':
        return list<{ name: string; color: string }>(labels, groupLabels).map(ofLabel)
      case 'milestone':
        return list<{ title: string }>(milestones, groupMilestones).map(ofMilestone)
      case 'branch':
        return list<{ name: string }>(branches).map(ofBranch)
      case 'choice':
        return [...(filter().options ?? [])]
    }
  })
  /** Without a project or group there is no list of labels: the typed text is used. */
  const typed = computed<PickItem[]>(() => {
    const isFree = owner() === null && ['labels', 'milestone', 'branch'].includes(filter().kind)
    const value = text.value.trim()
    return isFree && value ? [{ value, label: value, note: t('filter.as_typed') }] : []
  })
  const words = computed<PickItem[]>(() =>
    (text.value ? [] : (filter().words ?? [])).map((one) => ({ value: one, label: wordLabel(one) })),
  )
  return { isOpen, text, items: computed(() => [...words.value, ...typed.value, ...found.value]) }
}
