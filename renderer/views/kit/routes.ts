import type { RouteRecordRaw } from 'vue-router'

/** Every part of the kit in every state, for whoever changes one and for pictures; nothing links to it. */
export const routes: RouteRecordRaw[] = [
  { path: '/-/kit', component: () => import('./KitView.vue'), meta: { open: true } },
]
