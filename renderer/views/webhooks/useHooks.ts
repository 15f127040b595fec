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

/** The webhooks of one owner in the window. */
type HookSection = {
  owner: HookOwner
  /** The path of the list of webhooks. */
  base: string
  crumbs: (...last: Crumb[]) => Crumb[]
  /** The sentence above the list that names the owner. */
  about: string
}

const ofProject = () => {
  const project = useProject()
  return (): HookSection => {
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
  return (): HookSection => {
    const at = (rest: string) => groupUrl(group.value.full_path, rest)
    return {
      owner: { kind: 'group', id: group.value.id },
      base: at('settings/hooks'),
      crumbs: (...last) => groupCrumbs(group.value, { label: t('common.settings'), to: at('edit') }, ...last),
      about: t('webhooks.notify_other_applications_about_events_2'),
    }
  }
}

const ofInstance = () => (): HookSection => ({
  owner: { kind: 'system', id: null },
  base: '/admin/hooks',
  crumbs: (...last) => [{ label: t('common.settings'), to: '/-/profile' }, ...last],
  about: t('webhooks.notify_other_applications_about_events_3'),
})

/** The owner of the webhooks in the address. `show` sets the breadcrumb. */
export const useHooks = () => {
  const route = useRoute()
  const kind = route.meta['hooks'] as HookKind
  const section = computed({ project: ofProject, group: ofGroup, system: ofInstance }[kind]())
  const title = kind === 'system' ? t('webhooks.system_hooks') : t('common.webhooks')
  const show = (last: () => Crumb[] = () => []) =>
    useCrumbs(() => {
      const below = last()
      const list = below.length > 0 ? { label: title, to: section.value.base } : { label: title }
      return section.value.crumbs(list, ...below)
    })
  return { kind, title, section, owner: computed(() => section.value.owner), show }
}
