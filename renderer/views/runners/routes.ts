import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  {
    path: '/-/runners',
    component: () => import('./RunnersView.vue'),
    meta: { whole: true },
    children: [
      { path: '', component: () => import('./NoRunnerView.vue') },
      { path: 'new', component: () => import('./NewRunnerView.vue') },
      { path: 'built_in', component: () => import('./BuiltInView.vue') },
      { path: ':id(\\d+)', component: () => import('./RunnerView.vue') },
    ],
  },
  { path: '/admin/runners', redirect: '/-/runners' },
  { path: '/admin/runners/:id(\\d+)', redirect: (to) => `/-/runners/${String(to.params['id'])}` },
]
