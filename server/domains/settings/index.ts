import { domain } from '../../domain.ts'
import { forEveryone } from '../../events/visibility.ts'
import { kernelSettings } from './service.ts'

export { settingsOf, settingsFrom, settingsIn } from './service.ts'
export type { Settings } from './catalogue/settings.ts'
export { portableSettings } from './service-portable.ts'
export { secretSetting } from './service-secrets.ts'
export { planLimits } from './store.ts'
export type { PlanLimits } from './plan_limits/types.ts'

export const settingsDomain = domain({
  name: 'settings',
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./plan_limits/routes.ts'),
      import('./broadcast_messages/routes.ts'),
    ]),
  ports: { settings: kernelSettings },
  visibleTo: [forEveryone('broadcast_message_id')],
  reloads: {
    settings: ['application', '/-/look'],
    plan_limits: ['plan_limits'],
    broadcast_message: ['broadcast_messages'],
  },
})
