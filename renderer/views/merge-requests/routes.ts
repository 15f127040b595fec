import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { t } from '../../locales/t.ts'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/merge_requests', component: () => import('./list/MergeRequestsView.vue') },
]

/** Addresses of merge requests, relative to the project; the same as the `web_url`s of the API. */
export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/merge_requests/new', component: () => import('./new/NewMergeRequestView.vue') },
  { path: '-/merge_requests/:iid(\\d+)/conflicts', component: () => import('./conflicts/ConflictsView.vue') },
  listDetail('-/merge_requests', t('common.merge_requests_2'), () => import('./list/MergeRequestsView.vue'), [
    {
      path: ':iid(\\d+)',
      component: () => import('./MergeRequestView.vue'),
      children: [
        { path: '', component: () => import('./ConversationTab.vue') },
        { path: 'commits', component: () => import('./CommitsTab.vue') },
        { path: 'pipelines', component: () => import('./PipelinesTab.vue') },
        { path: 'diffs', component: () => import('./ChangesTab.vue'), meta: { iconsOnly: true } },
      ],
    },
  ]),
]
