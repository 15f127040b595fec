import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { groupCrumbs, groupUrl } from '../../composables/groupCrumbs.ts'
import { projectUrl } from '../../composables/paths.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { useCrumbs, type Crumb } from '../../composables/useCrumbs.ts'
import { useGroup } from '../../composables/useGroup.ts'
import { useProject } from '../../composables/useProject.ts'
import type { HookKind, HookOwner } from './hook.ts'
import { t } from '../../locales/t.ts'

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
      crumbs: (...last) =>
        projectCrumbs(project.value, { label: t('common.settings'), to: at('general') }, ...last),
      about: t('webhooks.notify_other_applications_about_events'),
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
      crumbs: (...last) => groupCrumbs(group.value, { label: t('common.settings'), to: at('edit') }, ...last),
      about: t('webhooks.notify_other_applications_about_events_2'),
    }
  }
}

const ofInstance = () => (): Place => ({
  owner: { kind: 'system', id: null },
  base: '/admin/hooks',
  crumbs: (...last) => [{ label: t('common.settings'), to: '/-/profile' }, ...last],
  about: t('webhooks.notify_other_applications_about_events_3'),
})

/** The owner of the webhooks in the address. `show` sets the breadcrumb. */
export const useHooks = () => {
  const route = useRoute()
  const kind = route.meta['hooks'] as HookKind
  const place = computed({ project: ofProject, group: ofGroup, system: ofInstance }[kind]())
  const title = kind === 'system' ? t('webhooks.system_hooks') : t('common.webhooks')
  const show = (last: () => Crumb[] = () => []) =>
    useCrumbs(() => {
      const below = last()
      const list = below.length > 0 ? { label: title, to: place.value.base } : { label: title }
      return place.value.crumbs(list, ...below)
    })
  return { kind, title, place, owner: computed(() => place.value.owner), show }
}
