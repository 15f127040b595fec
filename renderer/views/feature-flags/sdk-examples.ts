/** The configuration of an SDK. */
export type SdkFacts = { url: string; instanceId: string }

/** How SDKs are set up; `app name` is the environment. */
export const SDK_EXAMPLES = [
  {
    value: 'node',
    label: 'Node',
    text: ({ url, instanceId }: SdkFacts) =>
      `import { startUnleash } from 'unleash-client'

const unleash = await startUnleash({
  url: '${url}',
  instanceId: '${instanceId}',
  appName: 'production',
})
if (unleash.isEnabled('my-flag', { userId: '42' })) …`,
  },
  {
    value: 'python',
    label: 'Python',
    text: ({ url, instanceId }: SdkFacts) =>
      `from UnleashClient import UnleashClient

client = UnleashClient(
    url="${url}",
    instance_id="${instanceId}",
    app_name="production",
)
client.initialize_client()
if client.is_enabled("my-flag", {"userId": "42"}): …`,
  },
  {
    value: 'go',
    label: 'Go',
    text: ({ url, instanceId }: SdkFacts) =>
      `unleash.Initialize(
    unleash.WithUrl("${url}"),
    unleash.WithInstanceId("${instanceId}"),
    unleash.WithAppName("production"),
)
on := unleash.IsEnabled("my-flag", unleash.WithContext(context.Context{UserId: "42"}))`,
  },
  {
    value: 'ruby',
    label: 'Ruby',
    text: ({ url, instanceId }: SdkFacts) =>
      `client = Unleash::Client.new(
  url: '${url}',
  instance_id: '${instanceId}',
  app_name: 'production',
)
on = client.is_enabled?('my-flag', Unleash::Context.new(user_id: '42'))`,
  },
  {
    value: 'curl',
    label: 'curl',
    text: ({ url, instanceId }: SdkFacts) =>
      `curl -H 'UNLEASH-INSTANCEID: ${instanceId}' \\
  -H 'UNLEASH-APPNAME: production' \\
  ${url}/client/features`,
  },
] as const
export type Sdk = (typeof SDK_EXAMPLES)[number]['value']
