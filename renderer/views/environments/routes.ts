import type { RouteRecordRaw } from 'vue-router'

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/environments', component: () => import('./EnvironmentsView.vue') },
  { path: '-/environments/folders/:folder', component: () => import('./EnvironmentsView.vue') },
  { path: '-/environments/:environment_id(\\d+)', component: () => import('./EnvironmentView.vue') },
]
