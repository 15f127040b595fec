import type { RouteRecordRaw } from 'vue-router'

const edit = () => import('./EditPageView.vue')

/** URLs inside a wiki. Actions follow the slug of the page, which may have slashes. */
const children: RouteRecordRaw[] = [
  { path: '', redirect: (to) => ({ path: `${to.path.replace(/\/$/, '')}/home`, query: to.query }) },
  { path: 'pages', component: () => import('./PagesView.vue') },
  { path: 'new', component: edit },
  { path: ':slug(.+)/edit', component: edit },
  { path: ':slug(.+)/history', component: () => import('./HistoryView.vue') },
  { path: ':slug(.+)/diff', component: () => import('./VersionView.vue') },
  { path: ':slug(.+)', component: () => import('./PageView.vue') },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/wikis', component: () => import('./ProjectWiki.vue'), children },
]

/** The same in groups. */
export const groupWikiRoutes: RouteRecordRaw[] = [
  { path: '-/wikis', component: () => import('./GroupWiki.vue'), children },
]
