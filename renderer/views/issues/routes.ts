import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/issues', component: () => import('./IssuesView.vue') },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/issues', component: () => import('./ProjectIssuesView.vue') },
  { path: '-/issues/new', component: () => import('./NewIssueView.vue') },
  { path: '-/issues/:iid(\\d+)', component: () => import('./IssueView.vue') },
]
