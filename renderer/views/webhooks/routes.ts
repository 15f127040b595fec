import type { RouteRecordRaw } from 'vue-router'
import type { HookKind } from './hook.ts'

/** The pages of webhooks in the settings of one kind of owner. */
export const hookRoutes = (prefix: string, hooks: HookKind): RouteRecordRaw[] => [
  { path: prefix, component: () => import('./HooksView.vue'), meta: { hooks } },
  { path: `${prefix}/new`, component: () => import('./HookFormView.vue'), meta: { hooks } },
  { path: `${prefix}/:hook_id(\\d+)`, component: () => import('./HookView.vue'), meta: { hooks } },
  { path: `${prefix}/:hook_id(\\d+)/edit`, component: () => import('./HookFormView.vue'), meta: { hooks } },
  {
    path: `${prefix}/:hook_id(\\d+)/events/:hook_event_id(\\d+)`,
    component: () => import('./DeliveryView.vue'),
    meta: { hooks },
  },
]
