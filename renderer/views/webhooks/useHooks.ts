import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { groupCrumbs, groupUrl } from '../../composables/groupCrumbs.ts'
import { projectUrl } from '../../composables/paths.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { useCrumbs, type Crumb } from '../../composables/useCrumbs.ts'
import { useGroup } from '../../composables/useGroup.ts'
import { useProject } from '../../composables/useProject.ts'
import type { HookKind, HookOwner } from './hook.ts'

type Place = {
  owner: HookOwner
  /** Where the list of webhooks is. */
  base: string
  crumbs: (...last: Crumb[]) => Crumb[]
  /** Whose they are, in a sentence of the list. */
  about: string
}

const ofProject = () => {
  const project = useProject()
  return (): Place => {
    const at = (rest: string) => projectUrl(project.value.path_with_namespace, `settings/${rest}`)
    return {
      owner: { kind: 'project', id: project.value.id },
      base: at('hooks'),
      crumbs: (...last) => projectCrumbs(project.value, { label: 'Settings', to: at('general') }, ...last),
      about: 'Notify other applications about events in this project.',
    }
  }
}

const ofGroup = () => {
  const group = useGroup()
  return (): Place => {
    const at = (rest: string) => groupUrl(group.value.full_path, rest)
    return {
      owner: { kind: 'group', id: group.value.id },
      base: at('settings/hooks'),
      crumbs: (...last) => groupCrumbs(group.value, { label: 'Settings', to: at('edit') }, ...last),
      about: "Notify other applications about events in the group's projects.",
    }
  }
}

const ofInstance = () => (): Place => ({
  owner: { kind: 'system', id: null },
  base: '/admin/hooks',
  crumbs: (...last) => [{ label: 'Settings', to: '/-/profile' }, ...last],
  about: 'Notify other applications about events on this instance.',
})

/** The owner of the webhooks in the address. `show` sets the breadcrumb. */
export const useHooks = () => {
  const route = useRoute()
  const kind = route.meta['hooks'] as HookKind
  const place = computed({ project: ofProject, group: ofGroup, system: ofInstance }[kind]())
  const title = kind === 'system' ? 'System hooks' : 'Webhooks'
  const show = (last: () => Crumb[] = () => []) =>
    useCrumbs(() => {
      const below = last()
      const list = below.length > 0 ? { label: title, to: place.value.base } : { label: title }
      return place.value.crumbs(list, ...below)
    })
  return { kind, title, place, owner: computed(() => place.value.owner), show }
}
