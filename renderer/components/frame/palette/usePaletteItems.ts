import { Box, LogOut, Plus, Search, SunMoon, Users, type LucideIcon } from '@lucide/vue'
import { computed, type Component, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useApi } from '../../../api/useApi.ts'
import type { Project } from '../../../api/types.ts'
import { fuzzyMatch, type Match } from '../../../composables/match.ts'
import { projectUrl, splitPath } from '../../../composables/paths.ts'
import { useAbility } from '../../../composables/useAbility.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { useRecent } from '../../../stores/recent.ts'
import { useSession } from '../../../stores/session.ts'
import { moreEntries, entries } from '../navigation.ts'
import { projectEntries } from '../project-navigation.ts'
import { projectSettings } from '../project-settings.ts'
import { categories } from '../settings-categories.ts'
import { usePaletteJump } from './usePaletteJump.ts'
import { usePaletteSettings } from './usePaletteSettings.ts'
import { t } from '../../../locales/t.ts'

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
  /** Other words it is known by. */
  words?: string
  /** Added to the score of recently opened items and items of the current project. */
  bonus?: number
  /** The instance found it, by its text or its number. */
  isFound?: boolean
}
export type FoundItem = PaletteItem & { match: Match }
export type PaletteGroup = { title: string; items: FoundItem[] }

const SHOWN = 8

/** Matches of the label or of the keywords. Results of the instance may match neither. */
const matchOf = (query: string, item: PaletteItem): Match | null => {
  const match = fuzzyMatch(query, item.label)
  if (match) return { ...match, score: match.score + (item.bonus ?? 0) }
  const known = item.words === undefined ? null : fuzzyMatch(query, item.words)
  if (known) return { score: known.score * 0.6 + (item.bonus ?? 0), marks: [] }
  return item.isFound ? { score: 20, marks: [] } : null
}

const find = (query: string, items: readonly PaletteItem[], limit = SHOWN): FoundItem[] =>
  items
    .flatMap((item) => {
      const match = matchOf(query, item)
      return match ? [{ ...item, match }] : []
    })
    .toSorted((a, b) => b.match.score - a.match.score)
    .slice(0, limit)

/** All palette items for a query, in groups. With `scoped`, pages of the current project come first. */
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
  const found = usePaletteJump(search, () => (inProject.value ? here.value : null))

  const ownEntries = (project: Project): PaletteItem[] =>
    projectEntries
      .flat()
      .filter(
        (entry) =>
          (entry.when?.(project) ?? true) &&
          (entry.abilities?.some((ability) => can(ability, project)) ?? true),
      )
      .map((entry) => ({
        id: `here:${entry.label}`,
        label: entry.label,
        icon: entry.icon,
        to: entry.to(project),
        bonus: 40,
      }))
  const ownSettings = (project: Project): PaletteItem[] =>
    can('update_project', project)
      ? projectSettings.map(({ label, at, icon }) => ({
          id: `here:settings/${at}`,
          label,
          hint: t('frame.project_settings'),
          words: t('frame.settings_label', { label }),
          icon,
          to: projectUrl(project.path_with_namespace, `settings/${at}`),
        }))
      : []
  const ownActions = (project: Project): PaletteItem[] => [
    ...(can('create_issue', project)
      ? [
          {
            id: 'here:new-issue',
            label: t('frame.new_issue'),
            icon: Plus,
            to: projectUrl(project.path_with_namespace, 'issues/new'),
          },
        ]
      : []),
    ...(can('push_code', project)
      ? [
          {
            id: 'here:new-merge-request',
            label: t('frame.new_merge_request'),
            icon: Plus,
            to: projectUrl(project.path_with_namespace, 'merge_requests/new'),
          },
        ]
      : []),
  ]

  const goTo = computed<PaletteItem[]>(() => [
    ...[...entries, ...moreEntries]
      .filter((entry) => !entry.admin || session.isAdmin)
      .map((entry) => ({
        id: `go:${entry.to}`,
        label: entry.label,
        icon: entry.icon,
        keys: entry.keys,
        to: entry.to,
        bonus: 10,
      })),
    ...(search.value ? categories : [])
      .filter((group) => !group.admin || session.isAdmin)
      .flatMap((group) =>
        group.items.map((item) => ({
          id: `go:${item.to}`,
          label: item.label,
          hint: group.admin ? t('frame.administration') : t('frame.your_settings'),
          words: `${group.admin ? t('frame.admin_administration_instance') : t('frame.my_settings')} ${item.label}`,
          icon: item.icon,
          to: item.to,
        })),
      ),
  ])
  const allActions = computed<PaletteItem[]>(() => [
    ...(session.user
      ? [
          { id: 'new:project', label: t('frame.new_project'), icon: Plus, to: '/projects/new' },
          { id: 'new:group', label: t('frame.new_group'), icon: Plus, to: '/groups/new' },
        ]
      : []),
    {
      id: 'theme',
      label: preferences.theme === 'dark' ? t('frame.use_the_light_theme') : t('frame.use_the_dark_theme'),
      icon: SunMoon,
      run: () => {
        preferences.theme = preferences.theme === 'dark' ? 'light' : 'dark'
      },
    },
    ...(session.user
      ? [
          {
            id: 'search',
            label: t('frame.search_everywhere'),
            icon: Search,
            to: '/search',
          },
          {
            id: 'sign-out',
            label: t('common.sign_out'),
            words: t('frame.log_out_leave'),
            icon: LogOut,
            run: () => void session.signOut(),
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
        bonus: 30,
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
    const project = scoped.value ? current.data.value : undefined
    const own = project ? ownEntries(project) : []
    const ownFound = project && search.value ? [...ownSettings(project), ...ownActions(project)] : []
    const sections: PaletteGroup[] = [
      { title: project?.name ?? '', items: find(search.value, [...own, ...ownFound]) },
      search.value
        ? { title: t('common.projects'), items: find(search.value, foundProjects.value) }
        : { title: t('frame.recent'), items: find('', recentItems.value, 6) },
      ...(search.value
        ? [
            { title: t('common.merge_requests'), items: find(search.value, found.value.merge_request, 6) },
            { title: t('common.issues'), items: find(search.value, found.value.issue, 6) },
            { title: t('common.files'), items: find(search.value, found.value.file, 6) },
            { title: t('common.branches'), items: find(search.value, found.value.branch, 6) },
            { title: t('common.groups'), items: find(search.value, foundGroups.value, 5) },
            { title: t('common.people'), items: find(search.value, found.value.user, 5) },
          ]
        : []),
      { title: t('frame.go_to'), items: session.user ? find(search.value, goTo.value) : [] },
      { title: t('frame.actions'), items: find(search.value, allActions.value) },
      { title: t('frame.instance_settings'), items: find(search.value, settings.value, 5) },
    ]
    const filled = sections.filter((section) => section.items.length > 0)
    // The group with the best match is first, so that Enter opens what fits best.
    const best = (section: PaletteGroup) => section.items[0]?.match.score ?? 0
    return search.value ? filled.toSorted((a, b) => best(b) - best(a)) : filled
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
