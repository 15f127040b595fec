import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/help', component: () => import('./HelpView.vue'), meta: { open: true } },
  { path: '/help/guide/:page?', component: () => import('./GuideView.vue'), meta: { whole: true } },
  { path: '/help/whats_new', component: () => import('./NewsView.vue') },
]
