import { computed } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { useSettingDraft } from '../../composables/useSettingDraft.ts'
import { LINES } from './lines.ts'
import { t } from '../../locales/t.ts'

/** Whose push rule it is. */
export type RuleOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

type Rule = Record<string, unknown> & { id: number }

/** A group without a rule is an error of the API, which browsers would log. */
const READS = {
  project: '/projects/:id/push_rule',
  group: '/-/groups/:id/push_rule',
  instance: '/-/admin/push_rule',
} as const
const ROUTES = {
  project: '/projects/:id/push_rule',
  group: '/groups/:id/push_rule',
  instance: '/-/admin/push_rule',
} as const

/** The push rule of an owner as a draft, with its actions. An owner without a rule has an empty draft. */
export const usePushRule = (owner: RuleOwner) => {
  const at = ROUTES[owner.kind]
  const ownerParams = owner.kind === 'instance' ? {} : { id: owner.id }
  const read = READS[owner.kind]
  const found = useApi(`GET ${read}`, ownerParams as { id: number })
  const rule = computed(() => found.data.value as Rule | null | undefined)
  const form = useSettingDraft(LINES, () => rule.value ?? { max_file_size: 0 })
  const invalidates = [`GET ${read}`]
  const save = useAction({
    report: 'form',
    invalidates,
    run: () => {
      const { max_file_size: size, ...changed } = form.changed.value
      const given = {
        ...ownerParams,
        ...changed,
        ...('max_file_size' in form.changed.value ? { max_file_size: size ?? 0 } : {}),
      }
      const verb = rule.value || owner.kind === 'instance' ? 'PUT' : 'POST'
      return api(`${verb} ${at}` as 'PUT /projects/:id/push_rule', given as { id: number }) as Promise<object>
    },
    done: t('push_rules.push_rule_saved'),
    onDone: (saved) => form.settle(saved),
  })
  const remove = useAction({
    invalidates,
    run: () => api(`DELETE ${at}` as 'DELETE /projects/:id/push_rule', ownerParams as { id: number }),
    done: t('push_rules.push_rule_deleted'),
  })
  return { found, rule, error: found.error, form, save, remove }
}
