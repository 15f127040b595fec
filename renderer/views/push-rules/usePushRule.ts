import { computed } from 'vue'
import { api, ApiError } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { useSettingDraft } from '../../composables/useSettingDraft.ts'
import { LINES } from './lines.ts'
import { t } from '../../locales/t.ts'

/** Whose push rule it is. */
export type RuleOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

type Rule = Record<string, unknown> & { id: number }

const ROUTES = {
  project: '/projects/:id/push_rule',
  group: '/groups/:id/push_rule',
  instance: '/-/admin/push_rule',
} as const

/** The push rule of an owner as a draft, with its actions. An owner without a rule has an empty draft. */
export const usePushRule = (owner: RuleOwner) => {
  const at = ROUTES[owner.kind]
  const place = owner.kind === 'instance' ? {} : { id: owner.id }
  const found = useApi(`GET ${at}`, place as { id: number })
  const isNone = computed(() => found.error.value instanceof ApiError && found.error.value.status === 404)
  const rule = computed(() => (isNone.value ? null : (found.data.value as Rule | null | undefined)))
  // A group without a rule answers that there is none.
  const error = computed(() => (isNone.value ? null : found.error.value))
  const form = useSettingDraft(LINES, () => rule.value ?? { max_file_size: 0 })
  const invalidates = [`GET ${at}`]
  const save = useAction({
    tell: 'form',
    invalidates,
    run: () => {
      const { max_file_size: size, ...changed } = form.changed.value
      const given = {
        ...place,
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
    run: () => api(`DELETE ${at}` as 'DELETE /projects/:id/push_rule', place as { id: number }),
    done: t('push_rules.push_rule_removed'),
  })
  return { found, rule, error, form, save, remove }
}
