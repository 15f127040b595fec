import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/-/oauth/authorization', component: () => import('./ConsentView.vue'), meta: { bare: true } },
]
