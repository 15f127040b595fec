import type { RouteRecordRaw } from 'vue-router'
import { newProjectRoutes } from './new/ways.ts'

export const routes: RouteRecordRaw[] = [
  { path: '/projects', component: () => import('./ProjectsView.vue') },
  ...newProjectRoutes,
  { path: '/dashboard/projects', redirect: '/projects' },
  { path: '/explore', redirect: '/projects' },
  { path: '/explore/projects', redirect: '/projects' },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/forks', component: () => import('./ForksView.vue') },
  { path: '-/starrers', component: () => import('./StarrersView.vue') },
]
