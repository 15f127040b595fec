import type { RouteRecordRaw } from 'vue-router'

/** Addresses of a project's repository, relative to the project; the same as the `web_url`s of the API. */
export const projectRoutes: RouteRecordRaw[] = [
  { path: '', component: () => import('./overview/ProjectOverviewView.vue') },
  { path: '-/:kind(tree|blob)/:rest(.*)', component: () => import('./FilesView.vue') },
  {
    path: '-/:kind(blame)/:rest(.*)',
    component: () => import('./FilesView.vue'),
    meta: { iconsOnly: true },
  },
  { path: '-/edit/:rest(.*)', component: () => import('./edit/EditFileView.vue') },
  { path: '-/new/:rest(.*)', component: () => import('./edit/NewFileView.vue') },
  { path: '-/edit_files/:rest(.*)?', component: () => import('./edit-files/EditFilesView.vue') },
  { path: '-/search/:rest(.*)?', component: () => import('./search/CodeSearchView.vue') },
  { path: '-/commits/:rest(.*)?', component: () => import('./CommitsView.vue') },
  { path: '-/commit/:sha', component: () => import('./commit/CommitView.vue'), meta: { iconsOnly: true } },
  { path: '-/compare/:rest(.*)?', component: () => import('./CompareView.vue'), meta: { iconsOnly: true } },
  { path: '-/branches', component: () => import('./BranchesView.vue') },
  { path: '-/tags', component: () => import('./TagsView.vue') },
  { path: '-/network/:rest(.*)?', component: () => import('./graph/GraphView.vue') },
  { path: '-/graphs/:rest(.*)?', component: () => import('./ContributorsView.vue') },
]
