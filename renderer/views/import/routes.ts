import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/imports', component: () => import('./ImportsView.vue') },
]
