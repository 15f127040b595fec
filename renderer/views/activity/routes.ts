import type { RouteRecordRaw } from 'vue-router'

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/activity', component: () => import('./ProjectActivityView.vue') },
]
