// Package providers is where notes are kept. Driver is what a provider implements; Vault is what everyone else uses. A provider
// knows nothing of accounts, tools or other providers.
package providers
