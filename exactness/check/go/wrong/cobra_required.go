// invented: MarkFlagAsRequired; right: MarkFlagRequired
package cmd

import "github.com/spf13/cobra"

func NewDeploy() *cobra.Command {
	command := &cobra.Command{Use: "deploy", Short: "Deploys a service", Args: cobra.NoArgs}
	command.Flags().String("service", "", "the service")
	if err := command.MarkFlagAsRequired("service"); err != nil {
		panic(err)
	}
	return command
}
