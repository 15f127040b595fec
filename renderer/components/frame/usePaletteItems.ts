import { Box, Plus, Search, SunMoon, Users, type LucideIcon } from '@lucide/vue'
import { computed, type Component, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useApi } from '../../api/useApi.ts'
import type { Project } from '../../api/types.ts'
import { fuzzyMatch, type Match } from '../../composables/match.ts'
import { splitPath } from '../../composables/paths.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { useRecent } from '../../stores/recent.ts'
import { useSession } from '../../stores/session.ts'
import { morePlaces, places } from './places.ts'
import { projectPlaces } from './project-places.ts'
import { usePaletteSettings } from './usePaletteSettings.ts'

/** One line of the palette. */
export type PaletteItem = {
  id: string
  label: string
  hint?: string
  icon?: Component | LucideIcon
  /** Shows the coloured letter of this name instead of an icon. */
  mark?: string
  keys?: string
  to?: string
  run?: () => void
}
export type FoundItem = PaletteItem & { match: Match }
export type PaletteGroup = { title: string; items: FoundItem[] }

const SHOWN = 8

const find = (query: string, items: readonly PaletteItem[], limit = SHOWN): FoundItem[] =>
  items
    .flatMap((item) => {
      const match = fuzzyMatch(query, item.label)
      return match ? [{ ...item, match }] : []
    })
    .toSorted((a, b) => b.match.score - a.match.score)
    .slice(0, limit)

/** Everything the palette offers for a query, in groups; inside a project its own places come first while `scoped`. */
export const usePaletteItems = (
  query: Ref<string>,
  scoped: Ref<boolean>,
  actions: readonly PaletteItem[],
) => {
  const route = useRoute()
  const router = useRouter()
  const recent = useRecent()
  const session = useSession()
  const preferences = usePreferences()
  const { can } = useAbility()

  const here = computed(() => splitPath(route.path).full_path)
  const inProject = computed(() =>
    recent.list.some((one) => one.kind === 'project' && one.full_path === here.value),
  )
  const current = useApi('GET /projects/:id', () =>
    inProject.value ? { id: here.value, statistics: true } : null,
  )
  const search = computed(() => query.value.trim())
  const asked = computed(() => (session.user && search.value.length > 0 ? search.value : null))
  const projects = useApi(
    'GET /projects',
    () => (asked.value ? { search: asked.value, search_namespaces: true, simple: true, per_page: 20 } : null),
    { keepPrevious: true },
  )
  const groups = useApi('GET /groups', () => (asked.value ? { search: asked.value, per_page: 10 } : null), {
    keepPrevious: true,
  })

  const settings = usePaletteSettings(search)

  const ownPlaces = (project: Project): PaletteItem[] =>
    projectPlaces
      .flat()
      .filter(
        (place) =>
          (place.when?.(project) ?? true) &&
          (place.abilities?.some((ability) => can(ability, project)) ?? true),
      )
      .map((place) => ({
        id: `here:${place.label}`,
        label: place.label,
        icon: place.icon,
        to: place.to(project),
      }))

  const goTo = computed<PaletteItem[]>(() =>
    [...places, ...morePlaces]
      .filter((place) => !place.admin || session.isAdmin)
      .map((place) => ({
        id: `go:${place.to}`,
        label: place.label,
        icon: place.icon,
        keys: place.keys,
        to: place.to,
      })),
  )
  const allActions = computed<PaletteItem[]>(() => [
    ...(session.user
      ? [
          { id: 'new:project', label: 'New project…', icon: Plus, to: '/projects/new' },
          { id: 'new:group', label: 'New group…', icon: Plus, to: '/groups/new' },
        ]
      : []),
    {
      id: 'theme',
      label: preferences.theme === 'dark' ? 'Use the light theme' : 'Use the dark theme',
      icon: SunMoon,
      run: () => {
        preferences.theme = preferences.theme === 'dark' ? 'light' : 'dark'
      },
    },
    ...(session.user
      ? [
          {
            id: 'search',
            label: 'Search everywhere',
            icon: Search,
            to: '/search',
          },
        ]
      : []),
    ...actions,
  ])

  const recentItems = computed<PaletteItem[]>(() =>
    recent.list
      .filter((one) => one.full_path !== here.value)
      .map((one) => ({
        id: `path:${one.full_path}`,
        label: one.full_path,
        mark: one.name,
        to: `/${one.full_path}`,
      })),
  )
  const foundProjects = computed<PaletteItem[]>(() => {
    const known = recentItems.value.filter((item) => fuzzyMatch(search.value, item.label))
    const found = (projects.data.value ?? []).map((project) => ({
      id: `path:${project.path_with_namespace}`,
      label: project.path_with_namespace,
      mark: project.name,
      icon: Box,
      to: `/${project.path_with_namespace}`,
    }))
    return [...known, ...found.filter((item) => !known.some((one) => one.id === item.id))]
  })
  const foundGroups = computed<PaletteItem[]>(() =>
    (groups.data.value ?? []).map((group) => ({
      id: `path:${group.full_path}`,
      label: group.full_path,
      icon: Users,
      to: `/groups/${group.full_path}`,
    })),
  )

  const list = computed<PaletteGroup[]>(() => {
    const own = scoped.value && current.data.value ? ownPlaces(current.data.value) : []
    const sections: PaletteGroup[] = [
      { title: current.data.value?.name ?? '', items: find(search.value, own) },
      search.value
        ? { title: 'Projects', items: find(search.value, foundProjects.value) }
        : { title: 'Recent', items: find('', recentItems.value, 6) },
      { title: 'Groups', items: search.value ? find(search.value, foundGroups.value, 5) : [] },
      { title: 'Go to', items: session.user ? find(search.value, goTo.value) : [] },
      { title: 'Settings of the instance', items: find(search.value, settings.value, 5) },
      { title: 'Actions', items: find(search.value, allActions.value) },
    ]
    return sections.filter((section) => section.items.length > 0)
  })

  const open = (item: PaletteItem) => {
    if (item.to) void router.push(item.to)
    else item.run?.()
  }

  return {
    list,
    open,
    scope: computed(() => current.data.value?.name ?? null),
    isLoading: projects.isLoading,
  }
}
