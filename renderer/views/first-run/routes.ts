import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/-/first_run', component: () => import('./FirstRunView.vue'), meta: { open: true, bare: true } },
]
