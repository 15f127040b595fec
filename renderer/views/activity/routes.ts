import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/activity', component: () => import('./ActivityView.vue') },
  { path: '/dashboard/activity', redirect: '/activity' },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/activity', component: () => import('./ProjectActivityView.vue') },
]
