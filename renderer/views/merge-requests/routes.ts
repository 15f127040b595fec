import type { RouteRecordRaw } from 'vue-router'

const view = () => import('./MergeRequestView.vue')
const one = '-/merge_requests/:iid(\\d+)'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/merge_requests', component: () => import('./list/MergeRequestsView.vue') },
]

/** Addresses of merge requests, relative to the project; the same as the `web_url`s of the API. */
export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/merge_requests', component: () => import('./list/ProjectMergeRequestsView.vue') },
  { path: '-/merge_requests/new', component: () => import('./new/NewMergeRequestView.vue') },
  {
    path: one,
    component: view,
    children: [
      { path: '', component: () => import('./ConversationTab.vue') },
      { path: 'commits', component: () => import('./CommitsTab.vue') },
      { path: 'pipelines', component: () => import('./PipelinesTab.vue') },
      { path: 'diffs', component: () => import('./ChangesTab.vue'), meta: { iconsOnly: true } },
    ],
  },
]
