import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { t } from '../../locales/t.ts'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/issues', component: () => import('./IssuesView.vue') },
]

export const projectRoutes: RouteRecordRaw[] = [
  listDetail('-/issues', t('issues.issues'), () => import('./IssuesView.vue'), [
    { path: ':iid(\\d+)', component: () => import('./IssueView.vue') },
  ]),
  { path: '-/boards/:board(\\d+)?', component: () => import('../boards/ProjectBoardsView.vue') },
  { path: '-/issues/new', component: () => import('./NewIssueView.vue') },
]
