import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/projects', component: () => import('./ProjectsView.vue') },
  { path: '/projects/new', component: () => import('./NewProjectView.vue') },
  { path: '/dashboard/projects', redirect: '/projects' },
  { path: '/explore', redirect: '/projects' },
  { path: '/explore/projects', redirect: '/projects' },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/forks', component: () => import('./ForksView.vue') },
  { path: '-/starrers', component: () => import('./StarrersView.vue') },
]
